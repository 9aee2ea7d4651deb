"""The report for people: one page that needs nothing but itself, with the differences in it or beside it."""
