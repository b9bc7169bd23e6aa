import ArgumentParser
import CarillonCommandLine
import Foundation

/// The command line of Carillon.
struct Carillon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon",
        abstract: "Registers devices with a Carillon server and sends pushes through it.",
        discussion: """
            Where the server is, and the key, may stand in the environment:

              export CARILLON_SERVER=push.internal:7474
              export CARILLON_API_KEY_FILE=~/.carillon-key
              carillon ping

            or in ~/.config/carillon/config.json (--config names another file):

              {"server": "push.internal:7474", "apiKeyFile": "key", "ca": "ca.pem"}

            It may also have certificate, certificateKey, plaintext and timeout. Its paths
            are relative to it; lines that begin with // are comments. An option beats the
            environment, the environment beats the file.

            Examples:
              carillon register --app com.example.game --token 00fc13ad…
              carillon send --app com.example.game --token 00fc13ad… --title Hello --wait
              carillon send --app com.example.game --topic level5 --title "Raid at 21:00"

            \(ExitStatus.explanation)
            """,
        version: "carillon 1.0.0",
        subcommands: [LookupCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Devices",
                subcommands: [
                    RegisterCommand.self, UnregisterCommand.self, ImportCommand.self, DeviceCommand.self,
                ]
            ),
            CommandGroup(
                name: "Audiences", subcommands: [GroupCommand.self, TopicCommand.self, AudienceCommand.self]),
            CommandGroup(name: "Messages", subcommands: [SendCommand.self, MessageCommand.self, ReceiptCommand.self]),
            CommandGroup(
                name: "Server",
                subcommands: [TopCommand.self, EventsCommand.self, PingCommand.self, CompletionsCommand.self]
            ),
        ]
    )
}

/// Starts the command; failures become the exit statuses that `--help` tells of.
@main
enum Main {
    static func main() async {
        // A reader that goes away, as in `carillon … | head`, is an error of writing, not of the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try Carillon.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let status as ExitStatus {
            exit(status.rawValue)
        } catch {
            let text = Carillon.fullMessage(for: error)
            guard Carillon.exitCode(for: error).isSuccess else {
                Terminal.complain(text.replacing(/^Error:/, with: Terminal.inkOfErrors.paint("Error:", .bad)))
                exit(ExitStatus.usage.rawValue)
            }
            Terminal.say(text)
        }
    }
}

extension ExitStatus {
    /// The paragraph of `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  refused by the server; of many, at least one was
          2  the command makes no sense, or a file cannot be used
          3  server not reachable, or no answer in time (the message says
             whether it may have taken effect)
          4  send --wait, send --watch, message watch: not all delivered
          5  import: interrupted, the same command goes on
        """
}
