import ArgumentParser

struct TopicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topic",
        abstract: "Topics and their subscribers. The first subscription creates a topic.",
        discussion: """
            Examples:
              carillon topic subscribe level5 --app com.example.game --device 17
              carillon topic list --app com.example.game --prefix guild/
            """,
        subcommands: [
            SubscribeCommand.self, UnsubscribeCommand.self, TopicListCommand.self, TopicDevicesCommand.self,
        ]
    )
}
