import ArgumentParser
import CarillonClient
import CarillonCore

extension Mix: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
    var defaultValueDescription: String { text }
}

extension KeyDistribution: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
    var defaultValueDescription: String { text }
}

extension Schedule.Arrivals: ExpressibleByArgument {}
