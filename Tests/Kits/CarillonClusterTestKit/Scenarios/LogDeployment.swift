package import CarillonCluster

/// A shared log under test: a log database, and the faults that a scenario needs.
package protocol LogDeployment: Sendable {
    /// Makes a shared log through which a new node reaches the log database.
    func log() throws -> any SharedLog

    /// Lets events happen that are on their way, until a condition is true.
    func run(until condition: @escaping @Sendable () -> Bool)

    /// Makes the next append of a node end with a lost connection.
    func loseNextAppend(of log: any SharedLog, _ end: SimulatedLogDatabase.AppendEnd) throws

    /// Lets an append that is late arrive.
    func deliverLateAppends() throws

    /// Stops the log database. It keeps its data.
    func stopDatabase() throws
    func startDatabase() throws
}

/// A promise that does not hold in a scenario.
package struct ScenarioFailure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Fails a scenario if two values differ.
package func require<T: Equatable>(
    _ found: T, is expected: T, _ what: String = "", line: Int = #line, file: String = #fileID
) throws {
    guard found != expected else { return }
    throw ScenarioFailure(description: "\(file):\(line): \(what) \(found) instead of \(expected)")
}
