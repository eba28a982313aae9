"""What commands tell, as records in the words of whoever judged, and one writer for each format of such a record."""
