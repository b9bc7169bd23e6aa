import CarillonTestKit

/// The program `carillon-dump`, run as a process.
enum DumpCommand {
    /// Runs the program to its end.
    static func run(_ arguments: String...) throws -> FinishedProgram {
        try FinishedProgram(FinishedProgram.built("carillon-dump"), arguments)
    }
}
