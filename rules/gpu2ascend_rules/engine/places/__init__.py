"""How rules look at files of kinds beside Python: each is shown the places that it asks for."""
