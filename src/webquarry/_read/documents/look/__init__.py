"""the look of Office files -> colours: which text can be told from its ground"""
