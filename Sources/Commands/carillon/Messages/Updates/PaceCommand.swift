import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct PaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pace",
        abstract: "Limits the deliveries of a message a second.",
        discussion: """
            Examples:
              carillon message pace 42 500 --app com.example.game
              carillon message pace 42 none --app com.example.game
            """
    )

    /// A limit of deliveries a second, or none.
    enum Bound: ExplainedArgument, Equatable {
        case none
        case perSecond(UInt32)

        init?(argument: String) {
            if argument == "none" {
                self = .none
            } else if let number = UInt32(argument), number > 0 {
                self = .perSecond(number)
            } else {
                return nil
            }
        }

        static func fault(of argument: String) -> String { "it is a whole number from 1, or none" }
    }

    @Argument(
        help: ArgumentHelp("The number of the message.", valueName: "message"), completion: NameCompletion.messages)
    var id: MessageID

    @Argument(help: ArgumentHelp("The most deliveries a second, or none for no limit.", valueName: "count|none"))
    var bound: Bound

    @OptionGroup var app: AppOption

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        var pace: UInt32?
        if case .perSecond(let number) = bound { pace = number }
        try await server.updateMessage(id, of: app, with: .pace(pace))
    }
}
