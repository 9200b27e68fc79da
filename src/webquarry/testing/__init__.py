"""stand-ins that demos, benches and tests run against: never part of a real answer"""
