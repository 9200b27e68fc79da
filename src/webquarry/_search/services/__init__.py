"""a service that is asked over the network: paced, rested after failures, probed"""
