import ArgumentParser
import CarillonCommandLine
import CarillonVersion

@main
struct Carillon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carillon",
        abstract: "Registers devices with a Carillon server and sends pushes through it.",
        discussion: """
            The server and the key can be given in the environment:

              export CARILLON_SERVER=push.internal:7474
              export CARILLON_API_KEY_FILE=~/.carillon-key
              export CARILLON_APP=com.example.game
              carillon ping

            or in ~/.config/carillon/config.json (--config FILE for another file):

              {"server": "push.internal:7474", "apiKeyFile": "key", "ca": "ca.pem",
               "app": "com.example.game"}

            Other settings of the file are certificate, certificateKey, plaintext, timeout
            and contexts (carillon context --help). Its paths are relative to the file;
            lines that begin with // are comments. An option overrides the environment,
            the environment overrides the file.

            Examples:
              carillon register --app com.example.game --token 00fc13ad…
              carillon send --app com.example.game --token 00fc13ad… --title Hello --wait
              carillon send --app com.example.game --topic level5 --title "Raid at 21:00"

            \(ExitStatus.explanation)
            """,
        version: Version.line("carillon"),
        groupedSubcommands: [
            CommandGroup(
                name: "Devices",
                subcommands: [
                    RegisterCommand.self, UnregisterCommand.self, ImportCommand.self, DeviceCommand.self,
                ]
            ),
            CommandGroup(
                name: "Audiences", subcommands: [GroupCommand.self, TopicCommand.self, AudienceCommand.self]),
            CommandGroup(
                name: "Messages",
                subcommands: [SendCommand.self, MessageCommand.self, ReceiptCommand.self, ChannelCommand.self]),
            CommandGroup(
                name: "Server",
                subcommands: [
                    TopCommand.self, EventsCommand.self, ClusterCommand.self, PingCommand.self, ContextCommand.self,
                    CompletionsCommand.self,
                ]
            ),
        ]
    )

    static func main() async { await Program.main(Self.self) }
}

extension ExitStatus {
    /// The paragraph about exit statuses in `--help`.
    static let explanation = """
        Exit status:
          0  done
          1  refused by the server, or by the answer to a question; of several
             items, at least one was
          2  the arguments are wrong, or a file cannot be used
          3  server not reachable, or no answer in time (the message says
             whether it may have taken effect)
          4  send --wait, send --watch, message watch: not all delivered, or
             there was no device
          5  interrupted: a message goes on, the same import continues
        """
}
