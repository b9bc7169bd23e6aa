import ArgumentParser
import CarillonCommandLine
import CarillonCore

/// The arguments for a message of an app.
struct MessageArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The number of the message.", valueName: "message"))
    var id: MessageID

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID
}
