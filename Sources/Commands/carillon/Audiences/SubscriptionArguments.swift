import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The arguments for a subscription: topics, devices and groups.
struct SubscriptionArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Topics, such as level5; FCM's /topics/level5 is the same.", valueName: "topic"),
        completion: NameCompletion.topics)
    var topics: [TopicName]

    @OptionGroup var app: AppOption

    @OptionGroup var devices: DevicesArguments

    @Option(
        help: ArgumentHelp("A group, whose devices inherit the topics; may be repeated.", valueName: "group"),
        completion: NameCompletion.groups)
    var group: [GroupName] = []

    func validate() throws {
        guard !devices.isEmpty || !group.isEmpty else {
            throw ValidationError("The subscribers are missing: --device, --token or --group.")
        }
    }
}
