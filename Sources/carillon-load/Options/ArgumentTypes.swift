import ArgumentParser
import CarillonCore

extension Schedule.Arrivals: ExpressibleByArgument {}
