import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The arguments for a message of an app.
struct MessageArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The number of the message.", valueName: "message"), completion: NameCompletion.messages)
    var id: MessageID

    @OptionGroup var app: AppOption
}
