"""What models in files are made of, to what programs are made of, and back."""
