"""What passes that hand parts of a program to other compilers are made of."""
