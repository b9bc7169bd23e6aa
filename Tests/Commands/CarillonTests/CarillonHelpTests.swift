import ArgumentParser
import CarillonArguments
import Foundation
import Testing

@testable import carillon

/// The help of `carillon` as it is printed.
struct CarillonHelpTests {
    @Test func `the sections of help begin with the command and end with the server`() {
        let help = errorOrHelp(of: ["send", "--help"]) ?? ""
        let titles = help.split(separator: "\n").filter {
            $0.last == ":" && $0.allSatisfy { $0.isUppercase || $0 == ":" }
        }
        #expect(titles == ["OPTIONS:", "AUDIENCE:", "CONTENT:", "ANDROID:", "BROWSERS:", "DELIVERY:", "SERVER:"])
    }

    @Test func `the options of the command come before those of the server`() {
        let help = errorOrHelp(of: ["send", "--help"]) ?? ""
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { $0.split(separator: " ")[0] }
        #expect(options.prefix(4) == ["--app", "--type", "--label", "--wait"])
        #expect(options.last == "--context")
    }

    @Test func `help names the groups of options in its usage and ends with one line end`() {
        let help = errorOrHelp(of: ["send", "--help"]) ?? ""
        #expect(help.contains("USAGE: carillon send [--app <bundle-id>] <audience> <content> [<options>]\n"))
        #expect(help.hasSuffix("\n"))
        #expect(!help.hasSuffix("\n\n"))
    }

    @Test func `the options of a subcommand stand before the section of the server`() {
        let list = errorOrHelp(of: ["topic", "list", "--help"]) ?? ""
        let parts = list.components(separatedBy: "SERVER:")
        #expect(parts.count == 2)
        #expect(parts[0].contains("--prefix"))
        #expect(!parts[0].contains("\n  --timeout"))
    }

    @Test(arguments: [["--help"], ["help"], ["topic", "--help"], ["help", "topic", "list"], ["--version"]])
    func `help ends the command with success`(_ arguments: [String]) {
        let exit = #expect(throws: (any Error).self) {
            var command = try Carillon.parsed(arguments)
            try command.run()
        }
        #expect(exit.map { Carillon.exitCode(for: $0).isSuccess } == true)
    }
}
