import ArgumentParser
import CarillonCore

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
