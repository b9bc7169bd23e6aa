import ArgumentParser

struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Lists the contexts of the configuration file, and chooses one.",
        discussion: """
            A context is a group of settings with a name: a server, its key and an app.

              {"timeout": "10s",
               "contexts": {
                 "live": {"server": "push.internal:7474", "apiKeyFile": "live.key"},
                 "test": {"server": "127.0.0.1:7474", "app": "com.example.test"}}}

            A setting that the context does not have is that of the file. --context NAME
            overrides the environment; CARILLON_CONTEXT and the chosen context do not.

            Examples:
              carillon context list
              carillon context use test
              carillon ping --context live
            """,
        subcommands: [ContextListCommand.self, ContextUseCommand.self]
    )
}
