"""How exposed is each single record, with the table fixed and only the method's seed random?"""
