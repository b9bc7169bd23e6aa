import ArgumentParser

/// The words of `--arrivals` on the command line.
extension Schedule.Arrivals: ExpressibleByArgument {}
