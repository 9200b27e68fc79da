# compiled as it stands: it is asked about every element that a rule may mean
