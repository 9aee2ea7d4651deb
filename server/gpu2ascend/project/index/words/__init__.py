"""What the program decides about words, and the files beside Python that hold or name them."""
