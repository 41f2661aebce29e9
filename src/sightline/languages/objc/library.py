"""Names that Objective-C and its frameworks bring along."""

from __future__ import annotations

from sightline.languages.library import EVERYWHERE, words

BUILTINS = words(
    """
    NSLog NSStringFromSelector NSStringFromClass NSClassFromString NSSelectorFromString NSMakeRange NSAssert
    NSParameterAssert NSCAssert NSLocalizedString CGRectMake CGSizeMake CGPointMake dispatch_async dispatch_sync
    dispatch_once dispatch_after dispatch_queue_create dispatch_get_main_queue dispatch_semaphore_create malloc free
    memcpy memset strlen strcmp printf MIN MAX ABS XCTAssert XCTAssertEqual XCTAssertEqualObjects XCTAssertTrue
    XCTAssertFalse XCTAssertNil XCTAssertNotNil XCTFail
    """
)
COMMON_MEMBERS = (
    EVERYWHERE
    | BUILTINS
    | words(
        """
    alloc init new copy mutableCopy dealloc retain release autorelease description isEqual hash class superclass
    respondsToSelector performSelector isKindOfClass conformsToProtocol objectForKey objectAtIndex setObject addObject
    removeObject removeAllObjects stringWithFormat stringByAppendingString array dictionary string length count
    firstObject lastObject containsObject enumerateObjectsUsingBlock allKeys allValues boolValue integerValue
    doubleValue setValue valueForKey addObserver removeObserver postNotificationName defaultCenter sharedInstance
    frame bounds addSubview view viewDidLoad initWithFrame initWithCoder encodeWithCoder setUp tearDown
    """
    )
)
