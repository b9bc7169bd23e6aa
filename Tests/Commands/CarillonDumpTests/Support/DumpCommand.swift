import CarillonTestKit

/// The program `carillon-dump`, run as a process.
enum DumpCommand {
    /// The exit status of a program that has found something.
    static let hasFindings: Int32 = 1
    /// The exit status of a program that cannot read a file.
    static let cannotRead: Int32 = 6

    /// Runs the program to its end.
    static func run(_ arguments: String...) throws -> FinishedProgram {
        try FinishedProgram(FinishedProgram.built("carillon-dump"), arguments)
    }
}
