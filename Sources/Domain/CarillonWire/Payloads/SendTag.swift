/// The tags of the fields of a SEND (Protocol 10.1). A RESEND has `notAfter` too, and an UPDATE_MESSAGE `pace`. The
/// other tags of a SEND are in `CommonFields` and `TraceParent`.
enum SendTag {
    static let expiration: UInt32 = 17
    static let collapseID: UInt32 = 19
    static let notAfter: UInt32 = 21
    static let lane: UInt32 = 22
    static let groups: UInt32 = 23
    static let topic: UInt32 = 25
    static let condition: UInt32 = 27
    static let bodies: UInt32 = 29
    static let excludedDevice: UInt32 = 31
    static let isDryRun: UInt32 = 33
    static let sendAt: UInt32 = 35
    static let pace: UInt32 = 37
    static let overBudget: UInt32 = 39
    static let idKey: UInt32 = 41
    static let label: UInt32 = 43
    static let android: UInt32 = 45
    static let rawAndroid: UInt32 = 47
    static let web: UInt32 = 49
    static let rawWeb: UInt32 = 51
    static let channel: UInt32 = 61
    static let channelEnvironment: UInt32 = 63
}
