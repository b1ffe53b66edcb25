"""The names of the suppression schemes, by what they delete; what each does is in suppression."""

VALUE_SCHEMES = ("vio-sa", "all-sa")
"""delete sensitive values"""
RECORD_SCHEMES = ("none", "vio-rec", "all-rec")
"""delete records, or nothing: the ones that losses of records and k-anonymity go with"""
