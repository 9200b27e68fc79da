"""references as people write them -> compared with the records of the indexes"""
