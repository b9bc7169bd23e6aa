import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Device groups: for example an account, and all devices it is signed in on.",
        discussion: """
            Examples:
              carillon group join user/42 --app com.example.game --device 17
              carillon group members user/42 --app com.example.game
              carillon group list --app com.example.game --prefix user/
            """,
        subcommands: [
            JoinCommand.self, LeaveCommand.self, SwitchCommand.self, MembersCommand.self, GroupListCommand.self,
            GroupTopicsCommand.self, MuteCommand.self, UnmuteCommand.self,
        ]
    )
}

/// The group that a command is about, and its app.
struct GroupArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The group, such as user/42.", valueName: "group"), completion: NameCompletion.groups)
    var group: GroupName

    @OptionGroup var app: AppOption
}
