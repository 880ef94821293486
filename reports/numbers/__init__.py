"""The arithmetic behind the tables: histograms, quantiles of buckets, skew."""
