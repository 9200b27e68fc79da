"""exchanges -> a WARC file, and answers from one with the network off"""
