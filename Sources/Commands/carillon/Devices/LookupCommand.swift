import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The former name of `device show`.
struct LookupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "The same as device show.",
        shouldDisplay: false
    )

    @OptionGroup var command: DeviceShowCommand

    func run() async throws { try await command.run() }
}
