"""One walk backwards from an expression to what gives it its value; readings say what it finds there."""
