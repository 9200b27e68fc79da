"""text -> terms, sentences and scores that tell what bears on a question"""
