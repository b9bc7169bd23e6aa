import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

/// The arguments for a group of an app.
struct GroupArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The group, such as user/42.", valueName: "group"), completion: NameCompletion.groups)
    var group: GroupName

    @OptionGroup var app: AppOption
}
