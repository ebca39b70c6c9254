"""Messages of model files, to what programs are made of, and back."""
