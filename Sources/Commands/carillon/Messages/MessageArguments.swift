import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The message that a command is about, and its app.
struct MessageArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The number of the message.", valueName: "message"), completion: NameCompletion.messages)
    var id: MessageID

    @OptionGroup var app: AppOption
}
