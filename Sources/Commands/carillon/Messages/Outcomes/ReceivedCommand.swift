import ArgumentParser
import CarillonCore

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
