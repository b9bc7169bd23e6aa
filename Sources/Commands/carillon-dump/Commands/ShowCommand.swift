import ArgumentParser

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one device, group, topic or message with all its data.",
        subcommands: [ShowDeviceCommand.self, ShowGroupCommand.self, ShowTopicCommand.self, ShowMessageCommand.self]
    )
}
