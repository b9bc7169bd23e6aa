import ArgumentParser

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Reports to the server which pushes have arrived or were opened.",
        discussion: """
            Examples:
              carillon receipt received 42 --app com.example.game --device 17
              carillon receipt opened 42 --app com.example.game --file devices.txt
            """,
        subcommands: [ReceivedCommand.self, OpenedCommand.self]
    )
}
