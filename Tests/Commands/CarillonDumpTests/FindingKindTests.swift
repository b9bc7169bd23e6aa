import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

@testable import carillon_dump

/// The kinds of findings in the JSON of `carillon-dump verify`, which scripts compare.
struct FindingKindTests {
    private static let (app, set) = (1 as UInt32, 2 as UInt32)
    private static let (id, device) = (messageID(3), deviceID(4))

    /// One finding of each kind. Add a new one at its place in `name(of:)` too.
    private static let findings: [Finding] = [
        .tableOutOfOrder("devices"), .pagesDiffer(used: 1, found: 2), .unknownApp(app),
        .deviceNotAssigned(app: app, device),
        .deviceWithoutAddress(app: app, device), .addressWithoutDevice(app: app, device),
        .orphanedTombstone(app: app, address(1)), .tombstonesDiffer(app: app),
        .tombstoneWithoutExpiry(app: app, address(1)), .keyWithoutExpiry(app: app, .zero),
        .expiryOfNothing(kind: 1, at: .zero), .contentDiffers(id), .orphanedMetadata(id), .orphanedClaims(id),
        .orphanedSilentClaim(game), .pageDiffers(id, page: 0), .pendingInFinishedPage(id, page: 0), .countsDiffer(id),
        .outboxDiffers(id), .scheduleDiffers(id), .listingDiffers(app: app, id), .orphanedReceipt(id, device),
        .receiptsDiffer(id), .quarantineDiffers(app: app, device), .silentWithoutDevice(app: app, device),
        .subscriptionWithoutBrowser(app: app, device), .eventOutOfOrder(1),
        .subscriberAhead(principal: "shop", name: "feed"), .messageWithoutExpiry(id), .messageNotAssigned(id),
        .audienceDiffers(id), .orphanedDelay(id, page: 0, position: 0), .orphanedAttempt(id, page: 0, position: 0),
        .setNotAssigned(app: app, set: set), .setNameDiffers(app: app, set: set), .setWithoutReason(app: app, set: set),
        .devicesDiffer(app: app, set: set), .groupSubscriptionsDiffer(app: app, set: set),
        .quarantinedMembersDiffer(app: app, set: set), .postingUnreadable(app: app, set: set, chunk: 0),
        .postingWithoutSet(app: app, set: set, chunk: 0), .postingWithoutReason(app: app, set: set, device),
        .postingMissing(app: app, set: set, device), .membershipWithoutDevice(app: app, device),
        .membershipEmpty(app: app, device), .orphanedMembership(app: app, device, set: set),
        .orphanedGroupTopic(app: app, group: set, topic: set),
    ]

    /// Returns the name that scripts know. The compiler sees that no kind is missing.
    private static func name(of finding: Finding) -> String {  // style: table, a row for each finding
        switch finding {
        case .tableOutOfOrder: "tableOutOfOrder"
        case .pagesDiffer: "pagesDiffer"
        case .unknownApp: "unknownApp"
        case .deviceNotAssigned: "deviceNotAssigned"
        case .deviceWithoutAddress: "deviceWithoutAddress"
        case .addressWithoutDevice: "addressWithoutDevice"
        case .orphanedTombstone: "orphanedTombstone"
        case .tombstonesDiffer: "tombstonesDiffer"
        case .tombstoneWithoutExpiry: "tombstoneWithoutExpiry"
        case .keyWithoutExpiry: "keyWithoutExpiry"
        case .expiryOfNothing: "expiryOfNothing"
        case .contentDiffers: "contentDiffers"
        case .orphanedMetadata: "orphanedMetadata"
        case .orphanedClaims: "orphanedClaims"
        case .orphanedSilentClaim: "orphanedSilentClaim"
        case .pageDiffers: "pageDiffers"
        case .pendingInFinishedPage: "pendingInFinishedPage"
        case .countsDiffer: "countsDiffer"
        case .outboxDiffers: "outboxDiffers"
        case .scheduleDiffers: "scheduleDiffers"
        case .listingDiffers: "listingDiffers"
        case .orphanedReceipt: "orphanedReceipt"
        case .receiptsDiffer: "receiptsDiffer"
        case .quarantineDiffers: "quarantineDiffers"
        case .silentWithoutDevice: "silentWithoutDevice"
        case .subscriptionWithoutBrowser: "subscriptionWithoutBrowser"
        case .eventOutOfOrder: "eventOutOfOrder"
        case .subscriberAhead: "subscriberAhead"
        case .messageWithoutExpiry: "messageWithoutExpiry"
        case .messageNotAssigned: "messageNotAssigned"
        case .audienceDiffers: "audienceDiffers"
        case .orphanedDelay: "orphanedDelay"
        case .orphanedAttempt: "orphanedAttempt"
        case .setNotAssigned: "setNotAssigned"
        case .setNameDiffers: "setNameDiffers"
        case .setWithoutReason: "setWithoutReason"
        case .devicesDiffer: "devicesDiffer"
        case .groupSubscriptionsDiffer: "groupSubscriptionsDiffer"
        case .quarantinedMembersDiffer: "quarantinedMembersDiffer"
        case .postingUnreadable: "postingUnreadable"
        case .postingWithoutSet: "postingWithoutSet"
        case .postingWithoutReason: "postingWithoutReason"
        case .postingMissing: "postingMissing"
        case .membershipWithoutDevice: "membershipWithoutDevice"
        case .membershipEmpty: "membershipEmpty"
        case .orphanedMembership: "orphanedMembership"
        case .orphanedGroupTopic: "orphanedGroupTopic"
        }
    }

    @Test func `the name of each kind stays`() {
        for finding in Self.findings { #expect(finding.kind == Self.name(of: finding)) }
        #expect(Set(Self.findings.map(\.kind)).count == 47)
    }
}
