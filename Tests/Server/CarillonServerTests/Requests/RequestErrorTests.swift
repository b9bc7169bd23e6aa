import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// The errors that clients get for refusals and failures of the registry.
struct RequestErrorTests {
    @Test func `a refusal names the field at fault`() {
        #expect(RequestError(ChangeAnswer.Refusal.notFound) == .noDevice)
        let tooMany = RequestError(ChangeAnswer.Refusal.tooMany(.groups))
        #expect(tooMany.field == "groups")
        #expect(tooMany.limit == UInt64(MembershipLimits.groupsPerDevice))
        #expect(tooMany.withField(ofRequest: .join).field == "group", "a JOIN names one group")
        #expect(tooMany.withField(ofRequest: .register).field == "groups")
        var payload = RequestError.noDevice
        payload.field = "payload"
        #expect(payload.withField(ofRequest: .switchGroup).field == "announcement", "a SWITCH has no other payload")
        #expect(payload.withField(ofRequest: .send).field == "payload")
    }

    @Test(arguments: [
        (RegistryError.overloaded, ErrorCode.overloaded, Effect.notExecuted),
        (.deadline, .deadline, .notExecuted), (.storageFull, .storageFull, .notExecuted),
        (.closed, .draining, .notExecuted),
    ])
    func `a failure of the registry has a code and an effect`(error: RegistryError, code: ErrorCode, effect: Effect) {
        let error = RequestError(error)
        #expect(error.code == code)
        #expect(error.effect == effect)
        #expect(error.retry != .never, "the same request may succeed later")
    }
}
