import ArgumentParser
import CarillonArguments
import Foundation
import Testing

@testable import carillon

/// The help of `carillon`.
struct HelpSectionsTests {
    @Test(arguments: [["--help"], ["help"], ["topic", "--help"], ["help", "topic", "list"], ["--version"]])
    func helpIsNoFault(_ arguments: [String]) {
        do {
            var command = try Carillon.parsed(arguments)
            try command.run()
            Issue.record("\(arguments) did something")
        } catch {
            #expect(Carillon.exitCode(for: error).isSuccess)
        }
    }

    @Test func helpBeginsWithTheOptionsOfTheCommandAndEndsWithThoseOfTheServer() {
        let help = errorOrHelp(of: ["send", "--help"]) ?? ""
        let titles = help.split(separator: "\n").filter {
            $0.last == ":" && $0.allSatisfy { $0.isUppercase || $0 == ":" }
        }
        #expect(titles == ["OPTIONS:", "AUDIENCE:", "CONTENT:", "ANDROID:", "BROWSERS:", "DELIVERY:", "SERVER:"])
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { $0.split(separator: " ")[0] }
        #expect(options.prefix(4) == ["--app", "--type", "--label", "--wait"])
        #expect(options.last == "--context")
        #expect(help.contains("USAGE: carillon send [--app <bundle-id>] <audience> <content> [<options>]\n"))
        #expect(["\n", "\n\n"].map { help.hasSuffix($0) } == [true, false])
        let list = errorOrHelp(of: ["topic", "list", "--help"]) ?? ""
        let parts = list.components(separatedBy: "SERVER:")
        #expect(parts.count == 2)
        #expect(parts[0].contains("--prefix"))
        #expect(!parts[0].contains("\n  --timeout"))
    }
}
