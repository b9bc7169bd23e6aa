package import Foundation

/// A program that a test has run to its end.
package struct FinishedProgram: Sendable {
    /// The error of a program that has failed, with all that it printed.
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The arguments, and the name of the program before them.
    package let command: [String]
    package let status: Int32
    /// The text that it printed to its standard output.
    package let output: String
    /// The text that it printed to its standard error.
    package let errorOutput: String

    /// Runs a program to its end, in a directory if one is given.
    package init(_ program: URL, _ arguments: [String], in directory: URL? = nil) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = directory }
        // A file: a second pipe would be read too late, and a program waits for ever when its pipe is full.
        let files = TemporaryDirectory()
        let output = Pipe()
        let errorPath = try files.write("", to: "stderr")
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        try process.run()
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        errorOutput = String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorPath)), as: UTF8.self)
        command = [program.lastPathComponent] + arguments
    }

    /// Returns the standard output of a program that has succeeded; throws what another one printed.
    package func outputOfSuccess() throws -> String {
        guard status == 0 else {
            let text = "\(command.joined(separator: " ")): exit status \(status)\n\(output)\(errorOutput)"
            throw Failed(description: text)
        }
        return output
    }

    /// Returns the path of a program of this package, which is built into the directory of the test bundle.
    package static func built(_ name: String) -> URL {
        let bundle = CommandLine.arguments.last { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: name)
    }
}
