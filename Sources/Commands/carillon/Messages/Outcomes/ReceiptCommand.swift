import ArgumentParser
import CarillonCore

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

struct ReceivedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "received",
        abstract: "Reports that devices have received a message.",
        discussion: """
            Examples:
              carillon receipt received 42 --app com.example.game --device 17
              carillon receipt received 42 --app com.example.game --file devices.txt

            A file has one device id a line; - is standard input. A device counts once.
            """
    )

    @OptionGroup var options: ReceiptOptions

    func run() async throws { try await options.report(.received) }
}

struct OpenedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opened",
        abstract: "Reports that a message was opened on devices.",
        discussion: """
            Examples:
              carillon receipt opened 42 --app com.example.game --device 17 --device 18
              carillon receipt opened 42 --app com.example.game --file -

            A file has one device id a line; - is standard input. A device counts once.
            """
    )

    @OptionGroup var options: ReceiptOptions

    func run() async throws { try await options.report(.opened) }
}
