"""bytes -> text, whatever the page says about its characters"""
