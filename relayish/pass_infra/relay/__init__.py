"""What passes over Relay programs have beside the infrastructure for passes of any language."""
