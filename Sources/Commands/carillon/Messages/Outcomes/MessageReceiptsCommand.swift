import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct MessageReceiptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Lists the devices that have received a message, or on which it was opened.",
        discussion: """
            Examples:
              carillon message receipts 42 --app com.example.game
              carillon message receipts 42 --app com.example.game --opened --limit 10
            """
    )

    @OptionGroup var message: MessageArguments

    @Flag(help: "Lists the devices on which it was opened, instead of those that have received it.")
    var opened = false

    @OptionGroup var rows: RowOptions
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await server.run(for: message.app) { client, app in
            let listing = client.devices(
                withReceipt: opened ? .opened : .received, of: message.id, app: app)
            try await rows.show(listing, isJSON: server.json)
        }
    }
}
