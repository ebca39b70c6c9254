"""Values by numpy: what evaluations of operators of several families share."""
