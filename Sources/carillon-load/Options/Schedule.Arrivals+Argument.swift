import ArgumentParser
import CarillonCore

/// The words of `--arrivals` on the command line.
extension Schedule.Arrivals: ExpressibleByArgument {}
