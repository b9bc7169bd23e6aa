import CarillonCluster
import CarillonCore

/// A judge of the pushes: whether the sender may send, the device and the message are to get them, and how many of them
/// come twice.
struct PushJudge {
    struct Recipient: Hashable {
        var message: MessageID
        var index: Int
    }

    /// A push that reached APNs.
    struct Push {
        var recipient: Recipient
        var page: UInt32
        var device: UInt32
        var member: Member
        /// The life of the process that sent the push.
        var process: ProcessID
    }

    /// One life of a process.
    struct ProcessID: Hashable, CustomStringConvertible {
        var node: NodeName
        /// The number of this start of the node's process.
        var start: Int

        var description: String { "\(node) (start \(start))" }
    }

    private let findings: SimulationFindings
    /// The most pushes of a node that are not recorded.
    private let maximumUnrecordedPushes: Int
    /// The positions of the last registrations in the log, by device.
    private var registered: [UInt32: LogPosition] = [:]
    /// The positions of the last unregistrations that were answered, by device.
    private var unregistered: [UInt32: LogPosition] = [:]
    /// The messages whose cancellation was answered.
    private var cancelled: Set<MessageID> = []
    /// The messages whose pace was there from their beginning, or is answered.
    private var paced: Set<MessageID> = []
    /// The last push to each recipient.
    private var pushes: [Recipient: Push] = [:]
    /// The number of second pushes, by the life of the process that sent the first.
    private var duplicates: [String: Int] = [:]
    private var endedProcesses: Set<ProcessID> = []
    /// The number of pushes, duplicates included.
    private(set) var pushCount = 0
    /// The number of pushes beyond the first one to a recipient.
    private(set) var duplicateCount = 0

    init(_ findings: SimulationFindings, maximumUnrecordedPushes: Int) {
        self.findings = findings
        self.maximumUnrecordedPushes = maximumUnrecordedPushes
    }

    mutating func changeApplied(_ change: ModelChange, answer: UInt64, at position: LogPosition) {
        switch change.action {
        case .register(let device): registered[device] = position
        case .send(let form): if form.hasPace { paced.insert(MessageID(rawValue: answer)) }
        case .setPace(let message, false): paced.remove(message)
        default: break
        }
    }

    mutating func changeAnswered(_ change: ModelChange, answer: UInt64, at position: LogPosition) {
        switch change.action {
        case .unregister(let device): unregistered[device] = max(unregistered[device] ?? 0, position)
        case .cancel(let message) where answer == 1: cancelled.insert(message)
        case .setPace(let message, true) where answer == 1: paced.insert(message)
        default: break
        }
    }

    mutating func processEnded(_ process: ProcessID) { endedProcesses.insert(process) }

    /// Judges a push.
    ///
    /// - Parameter state: the state after the last entry of the log.
    mutating func pushed(_ push: Push, in state: ModelState) {
        pushCount += 1
        let act = "\(push.member) pushed \(push.recipient.message) page \(push.page)"
        judgeSender(of: push, act, in: state)
        if let position = unregistered[push.device], registered[push.device] ?? 0 < position {
            findings.report("\(act) to device \(push.device) after its unregistration at \(position) was answered")
        }
        if cancelled.contains(push.recipient.message) {
            findings.report("\(act) after its cancellation was answered")
        }
        if let earlier = pushes[push.recipient] { judgeDuplicate(push, of: earlier, act, in: state) }
        pushes[push.recipient] = push
    }

    private func judgeSender(of push: Push, _ act: String, in state: ModelState) {
        guard state.members.contains(push.member) else { return findings.report("\(act) and is over") }
        let claims = state.claims(to: push.recipient.message)
        let owner = claims?.owner(of: push.page, among: state.members)
        if owner != push.member.incarnation {
            findings.report("\(act), which \(owner.map { "\($0) has" } ?? "no member has") claimed")
        }
        // A change of the pace binds a node when it has applied it: that it is answered says that all have.
        if paced.contains(push.recipient.message),
            claims?.maySend(push.page, by: push.member.incarnation, among: state.members) != true
        {
            findings.report("\(act) and is not the sender")
        }
    }

    /// Judges a second push to a recipient. It is the fault of the process that sent the first: it ended before its
    /// push was recorded.
    private mutating func judgeDuplicate(_ push: Push, of earlier: Push, _ act: String, in state: ModelState) {
        if !endedProcesses.contains(earlier.process), state.members.contains(earlier.member) {
            findings.report("\(act), recipient \(push.recipient.index), as \(earlier.member) had, which still lives")
        }
        if earlier.member.node != push.member.node { findings.happened(.tookOver) }
        let life = "\(earlier.process) \(earlier.member)"
        duplicates[life, default: 0] += 1
        duplicateCount += 1
        if duplicates[life, default: 0] > maximumUnrecordedPushes {
            findings.report("more than \(maximumUnrecordedPushes) pushes of \(life) came twice")
        }
    }
}
