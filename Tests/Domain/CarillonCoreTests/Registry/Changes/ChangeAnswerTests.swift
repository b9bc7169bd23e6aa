import CarillonCore
import Testing

/// The devices that delivery must read again after a change.
struct ChangeAnswerTests {
    private static let (one, other) = (DeviceID(rawValue: 1), DeviceID(rawValue: 2))

    private static func membership(_ affected: ChangeAnswer.Affected) -> ChangeAnswer {
        var answer = ChangeAnswer.MembershipChange()
        answer.affected = affected
        return .membership(answer)
    }

    @Test(
        arguments: [
            (.registered(one, .created, ended: nil), []),
            (.registered(one, .refreshed, ended: nil), []),
            (.registered(one, .refreshed, ended: nil, changesAudiences: true), [one]),
            (.registered(one, .replaced, ended: nil), [one]),
            (.registered(one, .replaced, ended: other, changesAudiences: true), [one, other]),
            (.unregistered(one), [one]),
            (.unregistered(nil), []),
            (.updated(one), [one]),
            (membership(.devices([one, other])), [one, other]),
            (.groupUpdated(devices: 2, hasChanged: false), []),
            (.outcomesRecorded(isFinished: true), []),
            (.refused(.stale), []),
        ] as [(ChangeAnswer, [DeviceID])])
    func `a change affects the devices whose tokens or audiences are others`(
        _ answer: ChangeAnswer, _ devices: [DeviceID]
    ) {
        #expect(answer.affected == .devices(devices))
    }

    @Test(arguments: [membership(.allDevices), .groupUpdated(devices: 2, hasChanged: true)] as [ChangeAnswer])
    func `a change of a large group affects all devices`(_ answer: ChangeAnswer) {
        #expect(answer.affected == .allDevices)
    }
}
