import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The arguments for a group of an app.
struct GroupArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The group, such as user/42.", valueName: "group"))
    var group: GroupName

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID
}
