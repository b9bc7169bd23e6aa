import ArgumentParser
import CarillonArguments

/// The program `post` with the commands `send`, `topic list` and `topic devices`.
struct SampleProgram: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "post", subcommands: [Send.self, Topic.self])

    struct Send: ParsableCommand {
        @Option(help: "The title.") var title: String
        @Option(help: "The text.") var body: String?
        @Option(help: "The number of copies.") var copies = Count(number: 1)

        func run() {}
    }

    struct Topic: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [List.self, Devices.self])

        struct List: ParsableCommand {
            @Option(help: "The number of topics.") var limit: Count?
            @Option(help: "A column of the list.") var column: [Count] = []

            func run() {}
        }

        struct Devices: ParsableCommand {
            @Argument(help: "A page of the devices.") var page: Count

            func run() {}
        }
    }

    /// A number from 1 to 9.
    struct Count: ExplainedArgument {
        let number: Int

        init(number: Int) { self.number = number }

        init?(argument: String) {
            guard let number = Int(argument), (1...9).contains(number) else { return nil }
            self.number = number
        }

        static func fault(of argument: String) -> String { "'\(argument)' is not a number from 1 to 9" }

        var defaultText: String { "\(number)" }
    }

    /// Returns what the program prints for a command line that it refuses or that asks for help; nil for others.
    static func errorOrHelp(of arguments: [String]) -> String? {
        do {
            var command = try parsed(arguments)
            try command.run()
            return nil
        } catch {
            return text(for: error)
        }
    }
}
